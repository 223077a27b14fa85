// Deals and plays on an OpenCL device. OpenCL C 1.2; `mod.rs` says what the host gives and takes.
//
// The step is that of `lanes/step.rs`, which explains it. Hands have their top card at bit 63.

// As many as `mod.rs` says.
#define CARD_BINS 4096
#define TRICK_BINS 512
#define COUNTS (CARD_BINS + TRICK_BINS + 2)
#define WINS (CARD_BINS + TRICK_BINS)
#define LISTED (WINS + 1)

// The bins that a work group counts by itself. Longer games are rare.
#define LOCAL_CARDS 1024
#define LOCAL_TRICKS 192

// Steps between two looks at whether the game is over.
#define STRIDE 8

// How a listed game ended.
#define WON_BY_A 0u
#define WON_BY_B 1u
#define CAPPED 2u

typedef struct {
    ulong swaps[6];
    // What the payment cards pay, less one: two bits each, the first in the lowest.
    uint pays;
    uint cards;
    uint payment_cards;
    uint a;
    uint b;
    // Games of so many cards are listed, not counted.
    uint list_from;
    uint cap;
    // Entries of a block's list.
    uint list;
    // Work groups that share a block.
    uint slices;
    // Whether runs are circles, not heads.
    uint circles;
} Dealing;

typedef struct {
    ulong keys[2];
    uint first_run;
    uint runs;
    uint games;
    uint unused;
} Block;

// Some deals in a row: of one circle, or of one head with the tails from `first` on.
typedef struct {
    ulong row;
    uint kinds;
    uint first;
    uint count;
    // The place of the first deal in its block.
    uint offset;
} Run;

ulong spread(ulong x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
    return x ^ x >> 31;
}

ulong mix(ulong x) {
    return spread(x + 0x9e3779b97f4a7c15UL);
}

ulong bits(ulong s[4]) {
    const ulong result = rotate(s[0] + s[3], 23UL) + s[0];
    const ulong t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45UL);
    return result;
}

// `below_32` of chance.rs.
uint below(ulong s[4], uint bound) {
    for (;;) {
        const ulong product = (bits(s) >> 32) * bound;
        const uint low = (uint)product;
        if (low >= bound || low >= (0u - bound) % bound) {
            return (uint)(product >> 32);
        }
    }
}

// The first deal of every group of every block: `deals/random.rs`.
kernel void shuffle_circles(constant Dealing *d, global const Block *blocks, global Run *runs) {
    const uint group = get_global_id(0);
    const Block block = blocks[get_global_id(1)];
    if (group >= block.runs) {
        return;
    }
    const ulong first = mix(block.keys[0] ^ group);
    const ulong second = mix(block.keys[1] ^ group);
    ulong s[4] = {spread(first), spread(second), spread(first + 1), spread(second + 1)};

    const uint n = d->cards;
    const uint fewer = min(d->payment_cards, n - d->payment_cards);
    const uint width = 32 - clz(n - 1);
    const ulong mask = (1UL << width) - 1;
    ulong places = 0;
    ulong word = 0;
    uint word_bits = 0;
    for (uint left = fewer; left > 0;) {
        if (word_bits < width) {
            word = bits(s);
            word_bits = 64;
        }
        const uint place = (uint)(word & mask);
        word >>= width;
        word_bits -= width;
        const ulong fresh = place < n && (places >> place & 1) == 0;
        places |= fresh << place;
        left -= (uint)fresh;
    }
    if (fewer != d->payment_cards) {
        places ^= (1UL << n) - 1;
    }

    uint pays = d->pays;
    for (uint last = d->payment_cards - 1; last > 0; --last) {
        const uint at = below(s, last + 1);
        const uint change = (pays >> 2 * last ^ pays >> 2 * at) & 3;
        // The same card stays where it is.
        pays ^= change << 2 * last | change << 2 * at;
    }
    uint kinds = 0;
    for (uint at = 0; at < d->payment_cards; ++at) {
        kinds = kinds << 2 | (pays >> 2 * at & 3);
    }

    Run run;
    run.row = places;
    run.kinds = kinds;
    run.first = 0;
    run.offset = group * n;
    run.count = min(n, block.games - run.offset);
    runs[block.first_run + group] = run;
}

// Of the words that hold both a number of cards and twice a number of payment cards.
#define PAIRS_AT 20
#define IS_A 16

// Plays the runs of a block, which `slices` work groups share.
kernel void play_runs(
    constant Dealing *d,
    global const Block *blocks,
    global const Run *runs,
    global const uint *tails,
    global uint *counts,
    global uint4 *lists
) {
    local uint local_cards[LOCAL_CARDS];
    local uint local_tricks[LOCAL_TRICKS];
    local uint next;
    local uint local_wins;
    const uint lane = get_local_id(0);
    const uint lanes = get_local_size(0);
    for (uint at = lane; at < LOCAL_CARDS; at += lanes) {
        local_cards[at] = 0;
    }
    for (uint at = lane; at < LOCAL_TRICKS; at += lanes) {
        local_tricks[at] = 0;
    }
    const uint number = get_group_id(0) / d->slices;
    const uint slice = get_group_id(0) % d->slices;
    const ulong all_runs = blocks[number].runs;
    const uint first_run = blocks[number].first_run;
    if (lane == 0) {
        next = (uint)(all_runs * slice / d->slices);
        local_wins = 0;
    }
    const uint end = (uint)(all_runs * (slice + 1) / d->slices);
    barrier(CLK_LOCAL_MEM_FENCE);

    counts += (ulong)number * COUNTS;
    lists += (ulong)number * d->list;
    const uint cards = d->cards;
    const uint pairs = 2 * d->payment_cards;
    const uint a_cards = d->a;
    const uint b_cards = d->b;
    const uint cap = d->cap;
    const ulong newest = 1UL << (64 - cards);
    const uint newest_kind = 32 - pairs;
    const uint both = (pairs + 2) << PAIRS_AT | 1u << IS_A | cards;

    ulong row = 0;
    uint row_kinds = 0;
    uint tail = 0;
    uint left = 0;
    uint offset = 0;
    uint wins = 0;
    for (;;) {
        // The next deal.
        if (left == 0) {
            const uint taken = atomic_inc(&next);
            if (taken >= end) {
                break;
            }
            const Run run = runs[first_run + taken];
            row = run.row;
            row_kinds = run.kinds;
            tail = run.first;
            left = run.count;
            offset = run.offset;
        }
        ulong deal;
        uint kinds;
        if (d->circles) {
            deal = row;
            kinds = row_kinds;
            for (uint at = 0; at < 6; ++at) {
                const ulong change = (deal >> (1u << at) ^ deal) & d->swaps[at];
                deal ^= change ^ change << (1u << at);
            }
            row = (row << 1 & ((1UL << cards) - 1)) | row >> (cards - 1);
            row_kinds = (row_kinds << 2 & 0xffffffffu >> (32 - pairs)) | row_kinds >> (pairs - 2);
        } else {
            deal = row | (tails[tail] >> 16);
            kinds = row_kinds | (tails[tail] & 0xffff);
            ++tail;
        }
        const uint place = offset;
        --left;
        ++offset;

        // Into two hands: see `start` in step.rs.
        ulong creditor = deal >> b_cards << (63 - a_cards);
        ulong debtor = (deal & ((1UL << b_cards) - 1)) << (63 - b_cards);
        const uint a_pairs = 2 * (uint)popcount(creditor);
        const ulong queue = (ulong)kinds << (64 - pairs);
        const ulong b_queue = queue << a_pairs;
        uint creditor_kinds = (uint)((queue ^ b_queue >> a_pairs) >> 32);
        uint debtor_kinds = (uint)(b_queue >> 32);
        ulong pile = 0;
        uint pile_kinds = 0;
        uint demand = 0;
        uint length = b_cards | (pairs - a_pairs) << PAIRS_AT;
        uint sum = 0;
        uint laid_cards = 0;
        uint taken_piles = 0;

        do {
            for (uint step = 0; step < STRIDE && (length & 0x80) == 0; ++step) {
                const uint t = (uint)clz(debtor);
                const uint v = t > demand ? t - demand : 0;
                const bool replaced = v == 0;
                const ulong taken = replaced ? 0 : pile << (length & 63);
                const uint taken_kinds = replaced ? 0 : pile_kinds << (length >> PAIRS_AT & 31);
                creditor = (creditor & 0x7fffffffffffffffUL) | taken;
                creditor_kinds |= taken_kinds;

                const uint s = (uint)clz(creditor);
                const bool by_debtor = v < s;
                const uint debtor_lays = min(t, s + demand);
                const uint creditor_lays = min(s, v + 1);
                const uint laid = debtor_lays + creditor_lays;
                // Neither is over 63: a deck has a payment card, and at most 60 cards.
                const ulong of_debtor = debtor << (debtor_lays & 63);
                const ulong of_creditor = creditor << (creditor_lays & 63);
                debtor = by_debtor ? of_creditor : of_debtor;
                creditor = by_debtor ? of_debtor : of_creditor;
                const uint new_creditor = by_debtor ? debtor_kinds : creditor_kinds;
                debtor_kinds = by_debtor ? creditor_kinds : debtor_kinds;
                const uint kind = new_creditor >> 30;
                creditor_kinds = new_creditor << 2;

                pile = (replaced ? pile << (laid & 63) : 0) | newest;
                pile_kinds = (replaced ? pile_kinds << 2 : 0) | kind << newest_kind;
                sum = (replaced ? sum : demand + both) - laid - (2u << PAIRS_AT);
                length -= debtor_lays;
                length = by_debtor ? sum - length : length;
                demand = kind;
                laid_cards += laid;
                taken_piles += replaced ? 0 : 1;
            }
            // The first step took up an empty pile. A game that has not ended takes one more.
        } while ((length & 0x80) == 0 && taken_piles <= cap);

        // See `end` in step.rs.
        uint ended = CAPPED;
        uint game_cards = 0;
        uint game_tricks = 0;
        if ((length & 0x80) != 0) {
            const int less_one = (int)(char)(length & 0xff);
            const int have = less_one + 1;
            const int both_have = (int)(short)(sum & 0xffff) + 2;
            const int laid = (int)laid_cards - 1;
            const bool over = both_have - 2 * have >= (int)cards;
            game_tricks = taken_piles - 1 + (over ? 0 : 1);
            game_cards = (uint)(over ? laid + have - ((int)cards + 2 - both_have) / 2
                                     : laid + 2 * have);
            if (game_tricks <= cap) {
                const bool debtor_is_a = ((length - (uint)less_one) >> IS_A & 1) == 1;
                ended = debtor_is_a ? WON_BY_B : WON_BY_A;
            } else {
                game_cards = 0;
                game_tricks = 0;
            }
        }
        if (ended == CAPPED || game_cards >= d->list_from || game_cards >= CARD_BINS
            || game_tricks >= TRICK_BINS) {
            const uint entry = atomic_inc(&counts[LISTED]);
            if (entry < d->list) {
                lists[entry] = (uint4)(place, game_cards, game_tricks, ended);
            }
            continue;
        }
        wins += ended == WON_BY_A;
        if (game_cards < LOCAL_CARDS) {
            atomic_inc(&local_cards[game_cards]);
        } else {
            atomic_inc(&counts[game_cards]);
        }
        if (game_tricks < LOCAL_TRICKS) {
            atomic_inc(&local_tricks[game_tricks]);
        } else {
            atomic_inc(&counts[CARD_BINS + game_tricks]);
        }
    }

    atomic_add(&local_wins, wins);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < LOCAL_CARDS; at += lanes) {
        if (local_cards[at] != 0) {
            atomic_add(&counts[at], local_cards[at]);
        }
    }
    for (uint at = lane; at < LOCAL_TRICKS; at += lanes) {
        if (local_tricks[at] != 0) {
            atomic_add(&counts[CARD_BINS + at], local_tricks[at]);
        }
    }
    if (lane == 0) {
        atomic_add(&counts[WINS], local_wins);
    }
}
