// Package app builds the components in order, layer by layer, and runs them. It decides nothing but what config says: which
// parts there are, and what start mode accepts that production does not.
package app
