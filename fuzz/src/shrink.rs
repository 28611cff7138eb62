//! Reduction of a failing input to a readable size.

/// Removes parts of the input while `fails` stays true, within a bounded number of attempts.
pub(crate) fn shrink(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = input.to_vec();
    let mut attempts = 2000;
    let mut chunk = smallest.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < smallest.len() && attempts > 0 {
            attempts -= 1;
            let end = (at + chunk).min(smallest.len());
            let shorter = [&smallest[..at], &smallest[end..]].concat();
            if fails(&shorter) {
                smallest = shorter;
            } else {
                at = end;
            }
        }
        chunk /= 2;
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn unneeded_bytes_are_removed() {
        let input = b"some text with a needle in it, and more of it";
        let has_needle = |input: &[u8]| input.windows(6).any(|part| part == b"needle");
        assert_eq!(shrink(input, has_needle), b"needle");
        assert_eq!(shrink(b"abc", |_| true), b"");
    }
}
