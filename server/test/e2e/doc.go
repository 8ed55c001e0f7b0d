// Package e2e drives the whole server from outside: the Go client and Admin SDKs, the JavaScript SDKs in Node and
// in Chromium, and the built program itself. It has no code of its own beyond tests.
package e2e
