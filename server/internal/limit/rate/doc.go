// Package rate limits how often something may happen for each key, such as an account or a client's network
// address.
//
// Each key has a token bucket (golang.org/x/time/rate). A Limiter keeps a bounded number of buckets. When it is full,
// it evicts the bucket that has the most tokens, because that loses the fewest tokens: to get its own empty bucket
// evicted, a client must empty as many buckets as the Limiter holds, which costs more than it gains. A full bucket is
// the same as none and is evicted first.
//
// Addresses limits by network address. An IPv6 client chooses freely among the addresses of its prefix, so an IPv6
// address counts for its /64, /48 and /32; the wider prefixes have larger allowances.
//
// The package does not depend on HTTP or accounts. Package clientaddr finds a client's address.
package rate
