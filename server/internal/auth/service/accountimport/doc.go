// Package accountimport imports accounts: it converts each account of a request, and stores those that pass the checks.
//
// A Request has the form of imports: accounts, with the parameters by which their passwords are hashed. The package
// converts these parameters to and from those of package passhash, for exports too.
package accountimport
