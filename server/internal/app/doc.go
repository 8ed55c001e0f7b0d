// Package app builds the components in order, layer by layer, and runs them. The configuration determines which parts
// run, and what start mode accepts that production does not.
package app
