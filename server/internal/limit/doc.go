// Package limit lists what clients may take of the server: who is limited, how much of what, and what happens beyond.
// It has no code besides: each limit is enforced where its entry says.
//
// There are limits of four kinds, each with a type:
//
//   - how often: package rate, a bucket of tokens for each key
//   - how many at once: package slots, where a client with few displaces one with many
//   - how much time of the processors: package fair, a queue in which clients take turns
//   - how much memory: packages receive, parse and quota
//
// A network is an IPv4 address or the /64 of an IPv6 address (rate.Network). Clients at the machine itself are in none.
// M is the memory limit (--memory-limit; without it nine tenths of the memory of the control group or machine), which
// package heap divides.
//
// Not listed are the limits of single documents, writes, queries and rules, which are Firestore's and beside its types
// (model, rules, database/index), and those of accounts, which are Firebase Authentication's (auth/service).
package limit
