//! The binary siskin; everything is in the library.

fn main() -> std::process::ExitCode {
    siskin_server::main()
}
