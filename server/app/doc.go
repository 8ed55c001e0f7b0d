// Package app builds the rooms in order, floor by floor, and runs them. It decides nothing but what config says: which
// parts there are, and what start mode accepts that production does not.
package app
