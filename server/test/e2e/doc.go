// Package e2e drives the whole server from outside: the Go client and Admin SDKs, the JavaScript SDKs in Node and
// in Chromium, and the built program itself. Its tests are in a package for each topic: sdk, emulator, production,
// nodes and attack. They start servers with package harness, and share the data and the Node programs in this folder.
package e2e
