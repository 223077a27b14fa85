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


pub fn shape(c:&Cycle)->u64{ let mut sum=0u64; let mut a=0u64; let mut b=0u64; let mut s=c.name();
  for i in 0..c.states()+2 { let t=s.trick(); let x=(t.leader_won as u64)<<8 | t.after.leader.payment_cards() as u64; 
    if i>=2 { let mut z=(a<<32|b<<16|x).wrapping_mul(0x9E3779B97F4A7C15); z^=z>>29; z=z.wrapping_mul(0xBF58476D1CE4E5B9); z^=z>>32; sum=sum.wrapping_add(z); } a=b;b=x; s=t.after; } sum ^ c.states() as u64 }
fn returns(s:State,n:u32)->bool{ if s.leader.is_empty()||s.other.is_empty() {return false} let mut t=s; for i in 0..n { let k=t.trick(); if k.over {return false} t=k.after; if t==s {return i+1==n} } false }
/// single flexible edits
pub fn flex(s:State,n:u32,mut f:impl FnMut(State)){
  for h in 0..2 { let hand=if h==0 {s.leader} else {s.other}; let mk=|x|if h==0 {State{leader:x,other:s.other}} else {State{leader:s.leader,other:x}};
    let len=hand.len(); let mut prev=1u8;
    for at in 0..=len { let here=if at<len {hand.pay_at(at)} else {1};
      if here>0 { if s.len()<63 { let t=mk(hand.inserted(at,0)); if returns(t,n) {f(t)} } if at>0&&prev==0 { let t=mk(hand.removed(at-1)); if returns(t,n) {f(t)} } }
      if at<len&&here>0 { for k in 1..5u8 { if k!=here { let t=mk(hand.turned(at,k)); if returns(t,n) {f(t)} } } }
      prev=here; } } }
/// family members at target, from a cycle
pub fn family(c:&Cycle,target:&[u8;5],nodes:usize,far:u32)->Vec<Cycle>{
  let mut open=vec![c.name()]; let mut seen:AHashSet<State>=AHashSet::new(); seen.insert(c.name()); let n=c.states(); let mut out=vec![]; let mut i=0;
  while i<open.len()&&i<nodes { let s=open[i]; i+=1; let d=distance(&composition(s),target); if d==0 {out.push(Cycle::through(s));}
    flex(s,n,|t| { if distance(&composition(t),target)<=far && seen.insert(t) {open.push(t);} }); }
  out }
pub fn reach(c:&Cycle)->u32{ let st:Vec<State>=c.iter().collect(); let mut r=99; crate::game::closure::walk_cycle(&st,5000,|e| r=r.min(e.start.leader.len().abs_diff(e.start.other.len()))); r }
pub struct Lab { pub famshapes:AHashSet<u64>, pub fams:u64, pub famhits:u64, pub famd:u32, pub famn:usize, pub classby:u32, pub pending:Vec<Cycle>, pub limits: (), l: Limits, archive: Archive<u64>, pub tuning: Tuning, seed:u64, batch:u64, pub tested:u64, pub cycles:u64, pub at_target:u64, known:AHashSet<State>, pub random_chance:u32 }
impl Lab {
  pub fn new(target:[u8;5], slack:u8, seed:u64, tuning:Tuning)->Lab{
    let most=std::array::from_fn(|k| if target[k]==0 {0} else {target[k]+slack});
    let n:u8=target.iter().sum();
    Lab{famshapes:AHashSet::new(),fams:0,famhits:0,famd:0,famn:300,classby:0,pending:vec![],limits:(),l:Limits{target,most,cards:(n as u32+slack as u32).min(63)},archive:Archive::new(target),tuning,seed,batch:0,tested:0,cycles:0,at_target:0,known:AHashSet::new(),random_chance:4}
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
    for c in found { 
      let d=distance(&composition(c.name()),&self.l.target);
      let mut class=c.imbalance()/2;
      if self.classby>0 && d<=self.classby { class=reach(&c)/2; }
      self.archive.offer(&mut dice,&self.tuning,&c,class);
      if d==0 { self.at_target+=1; if self.known.insert(c.name()) {out.push(c);} }
      if d<=self.famd && self.famd>0 && self.famshapes.insert(shape(&c)^((d as u64)<<60)) { self.fams+=1; for m in family(&c,&self.l.target,self.famn,d.max(2)) { if self.known.insert(m.name()) { self.famhits+=1; let cl=if self.classby>0 {reach(&m)/2} else {m.imbalance()/2}; self.archive.offer(&mut dice,&self.tuning,&m,cl); out.push(m);} } }
    }
    out }
  pub fn front(&self)->Vec<(u32,u32,usize)>{self.archive.front()}
  pub fn known(&self)->usize{self.known.len()}
  pub fn kept(&self)->usize{self.archive.len()}
}

pub fn shape_any<K:crate::game::packed::Kinds>(c:&Cycle<K>)->u64{ let mut sum=0u64; let mut a=0u64; let mut b=0u64; let mut s=c.name();
  for i in 0..c.states()+2 { let t=s.trick(); let x=(t.leader_won as u64)<<8 | t.after.leader.payment_cards() as u64; 
    if i>=2 { let mut z=(a<<32|b<<16|x).wrapping_mul(0x9E3779B97F4A7C15); z^=z>>29; z=z.wrapping_mul(0xBF58476D1CE4E5B9); z^=z>>32; sum=sum.wrapping_add(z); } a=b;b=x; s=t.after; } sum ^ c.states() as u64 }
