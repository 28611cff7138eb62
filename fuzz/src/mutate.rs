//! Mutation of inputs, with fragments that are meaningful to the parser and with random bytes.

use crate::random::Random;

/// Longer inputs are cut to this length, so that many are tried. One in a few hundred may be long.
const USUAL_LENGTH: usize = 400;
const MAX_LENGTH: usize = 100_000;

/// Returns a mutation of `parent`, which may contain parts of `other`.
pub(crate) fn mutate(
    random: &mut Random,
    parent: &[u8],
    other: &[u8],
    fragments: &[&[u8]],
) -> Vec<u8> {
    let mut input = parent.to_vec();
    for _ in 0..=random.below(6) {
        change(random, &mut input, other, fragments);
    }
    let max_length = if random.one_in(400) {
        stretch(random, &mut input, fragments);
        MAX_LENGTH
    } else {
        USUAL_LENGTH
    };
    input.truncate(max_length);
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, other: &[u8], fragments: &[&[u8]]) {
    let at = random.below(input.len() + 1);
    match random.below(11) {
        0..=3 => insert(input, at, random.pick(fragments)),
        4 => {
            let piece: Vec<u8> =
                (0..random.below(6)).flat_map(|_| random.pick(fragments).to_vec()).collect();
            insert(input, at, &piece.repeat(1 + random.below(8)));
        }
        5 => {
            let from = random.below(other.len() + 1);
            insert(input, at, &other[from..][..random.below(other.len() - from + 1)]);
        }
        6 | 7 => {
            let length = random.below((input.len() - at).min(40) + 1);
            input.drain(at..at + length);
        }
        8 => {
            let length = random.below((input.len() - at).min(40) + 1);
            let copied = input[at..at + length].to_vec();
            let to = random.below(input.len() + 1);
            insert(input, to, &copied);
        }
        9 => insert(input, at, any_character(random).encode_utf8(&mut [0; 4]).as_bytes()),
        _ => {
            if let Some(byte) = input.get_mut(at) {
                *byte = random.next().to_le_bytes()[0];
            }
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Returns a character of any block, preferring frequent blocks.
fn any_character(random: &mut Random) -> char {
    let blocks = [0x80, 0x80, 0x250, 0x800, 0x3000, 0xFFFF, 0x10_FFFF];
    let end = blocks[random.below(blocks.len())];
    u32::try_from(random.below(end)).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}')
}

/// Repeats some fragments many times, which makes a careless parser backtrack again and again.
fn stretch(random: &mut Random, input: &mut Vec<u8>, fragments: &[&[u8]]) {
    let unit: Vec<u8> =
        (0..=random.below(3)).flat_map(|_| random.pick(fragments).to_vec()).collect();
    let length = random.below(MAX_LENGTH);
    let at = random.below(input.len() + 1);
    insert(input, at, &unit.repeat(length / unit.len().max(1)));
}
