//! Blocks and allows of other servers by staff, and the accounts that the blocks limit.

mod allows;
mod blocks;
mod effect;
mod limits;

pub use allows::{allow, allows_after, delete_allow, find_allow, find_allow_of, list_allows};
pub use blocks::{
    NewBlock, blocks_after, covering, delete, find, insert, list, lock, update, with_effect,
};
pub use effect::effect;
pub use limits::{accounts_of, apply_again, domains_after, limit};
pub(crate) use limits::{decide_own, own_suspended_at};
