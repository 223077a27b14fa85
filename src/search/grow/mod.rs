//! lab version
#![allow(missing_docs, dead_code)]
mod archive; mod dice; mod moves;
pub use archive::Tuning;
use archive::Archive;
use dice::Dice;
use moves::*;
use crate::game::cycle::Cycle;
use crate::game::packed::State;
use ahash::AHashSet;

pub struct Lab { pub limits: (), l: Limits, archive: Archive<u64>, pub tuning: Tuning, seed:u64, batch:u64, pub tested:u64, pub cycles:u64, pub at_target:u64, known:AHashSet<State>, pub random_chance:u32 }
impl Lab {
  pub fn new(target:[u8;5], slack:u8, seed:u64, tuning:Tuning)->Lab{
    let most=std::array::from_fn(|k| if target[k]==0 {0} else {target[k]+slack});
    let n:u8=target.iter().sum();
    Lab{limits:(),l:Limits{target,most,cards:(n as u32+slack as u32).min(63)},archive:Archive::new(target),tuning,seed,batch:0,tested:0,cycles:0,at_target:0,known:AHashSet::new(),random_chance:4}
  }
  pub fn add(&mut self,s:State){ if let Some(c)=Cycle::entered_from(s,3000){ let mut d=Dice::of(self.seed,u64::MAX); let class=c.imbalance()/2; self.archive.offer(&mut d,&self.tuning,&c,class); } }
  /// runs a batch; gives new cycles of target composition
  pub fn step(&mut self)->Vec<Cycle>{
    let mut dice=Dice::of(self.seed,self.batch); self.batch+=1; let mut out=vec![];
    let chosen=if dice.chance(self.random_chance) {None} else {self.archive.choose(&mut dice,&self.tuning)};
    let mut found:Vec<Cycle>=vec![];
    match chosen {
      None => { for _ in 0..20000 { let n=10+dice.below(9); let n=n.min(self.l.cards); self.tested+=1; if let Some(s)=random::<u64>(&mut dice,&self.l,n) { if let Some(c)=Cycle::entered_from(s,1000) { found.push(c);} } } }
      Some((e,counts)) => { let states:Vec<State>=Cycle::through(e.name).iter().collect();
        for _ in 0..self.tuning.batch { let s=states[dice.below(states.len() as u32) as usize];
          if let Some(t)=change(&mut dice,&self.l,s,counts) { self.tested+=1; if let Some(c)=Cycle::entered_from(t,3000) { self.cycles+=1; if c.name()!=e.name {found.push(c);} } } } }
    }
    for c in found { let class=c.imbalance()/2; self.archive.offer(&mut dice,&self.tuning,&c,class);
      if composition(c.name())==self.l.target { self.at_target+=1; if self.known.insert(c.name()) {out.push(c);} } }
    out }
  pub fn front(&self)->Vec<(u32,u32,usize)>{self.archive.front()}
  pub fn known(&self)->usize{self.known.len()}
  pub fn kept(&self)->usize{self.archive.len()}
}
