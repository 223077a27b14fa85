//! Where finds say that they were found: dealt again, and compared.

use super::Plan;
use super::method::BoxedMethod;
use crate::cards::Deal;
use crate::deals::random_deal;
use crate::game::lanes::Kernel;
use crate::search::finds::results::{ClaimError, Find, Found};

/// What is known of the plan of finds.
pub struct Addresses {
    plan: Option<(Plan, String, BoxedMethod)>,
}

/// How much of an address was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressProof {
    /// All that is claimed, or nothing is claimed.
    Whole,
    /// Only the plan, or even only a whole run of it, can prove the rest.
    Partial,
}

impl Addresses {
    /// Proves addresses with the plan of the search, or without it those of random deals alone.
    pub fn new(plan: Option<Plan>) -> Addresses {
        let plan = plan.map(|plan| {
            let (name, method) = (plan.fingerprint().to_string(), plan.method(Kernel::best()));
            (plan, name, method)
        });
        Addresses { plan }
    }

    /// Deals again what `find` says it was found with.
    ///
    /// # Errors
    /// [`ClaimError`] with the first thing that does not hold.
    pub fn check(&self, find: &Find) -> Result<AddressProof, ClaimError> {
        let Some(found) = &find.found else {
            return Ok(AddressProof::Whole);
        };
        let address = found.block.zip(found.offset);
        let Some((plan, name, method)) = &self.plan else {
            return match (found.how.as_str(), found.seed, address) {
                ("random", Some(seed), Some((block, offset))) => {
                    let deal = random_deal(&find.deck, seed, block, offset);
                    played(find, found, deal.map_err(|error| error.to_string()))?;
                    Ok(AddressProof::Partial)
                }
                _ => Ok(AddressProof::Partial),
            };
        };
        same("found.plan", &found.plan, name)?;
        same("found.how", &found.how, plan.how.name())?;
        same(
            "deck",
            &find.deck.to_string(),
            &plan.common.deck.to_string(),
        )?;
        if let Some(seed) = found.seed {
            same(
                "found.seed",
                &seed.to_string(),
                &plan.common.seed.to_string(),
            )?;
        }
        let Some((block, offset)) = address else {
            return Ok(AddressProof::Partial);
        };
        if method.find_again(block, &[]).is_none() {
            // No block gives anything by itself.
            return Ok(AddressProof::Partial);
        }
        played(find, found, method.deal_at(block, offset))?;
        Ok(AddressProof::Whole)
    }
}

/// Whether `deal` is the one that was played for `find`.
fn played(find: &Find, found: &Found, deal: Result<Deal, String>) -> Result<(), ClaimError> {
    let claimed = match &found.from {
        Some(origin) => origin.deal.clone(),
        None => find.deal_text(),
    };
    let is = match deal {
        Ok(deal) => find.deck.write(&deal),
        Err(error) => format!("none: {error}"),
    };
    same("the deal at found.block and found.offset", &claimed, &is)
}

fn same(what: &'static str, claimed: &str, is: &str) -> Result<(), ClaimError> {
    if claimed == is {
        return Ok(());
    }
    Err(ClaimError {
        what,
        claimed: claimed.to_owned(),
        is: is.to_owned(),
    })
}
