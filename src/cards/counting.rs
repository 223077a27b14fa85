//! Exact counting: how many arrangements a multiset has, without needless overflow.

/// (n1 + n2 + ...)! / (n1! n2! ...), or `None` if it is 2^128 or more.
pub(super) fn multinomial(counts: &[usize]) -> Option<u128> {
    let mut product = 1u128;
    let mut placed = 0u128;
    for &count in counts {
        for i in 1..=count as u128 {
            placed += 1;
            product = scale(product, placed, i)?;
        }
    }
    Some(product)
}

/// How many of `all` permutations of `left` cards begin with one of `count` equal cards.
pub(super) fn share(all: u128, count: usize, left: u128) -> u128 {
    scale(all, count as u128, left).expect("a part is no greater than the whole")
}

/// `value * times / by`, where the result is known to be whole, without needless overflow.
fn scale(value: u128, times: u128, by: u128) -> Option<u128> {
    let common = gcd(times, by);
    (value / (by / common)).checked_mul(times / common)
}

/// The greatest common divisor; that of a number and 0 is the number.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
