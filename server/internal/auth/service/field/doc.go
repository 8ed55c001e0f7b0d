// Package field checks the fields of accounts that requests and imports set: e-mail addresses and phone numbers, which
// it returns in the form in which they are stored, the lengths of ids, names and pictures' addresses, and new
// passwords, which a project's password policy restricts.
package field
