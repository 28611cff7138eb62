//! The binary siskin. All code is in the library.

fn main() -> std::process::ExitCode {
    siskin_server::main()
}
