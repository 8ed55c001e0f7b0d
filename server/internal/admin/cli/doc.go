// Package cli connects the unmodified Firebase CLI to the administration APIs of a server.
//
// The CLI has a variable with the origin of each API of Google. A Proxy is a server on the loopback interface at which
// all of them lead: it adds the access token of a service account to requests, and sends each one to the port of the
// server that has its API. So the CLI never has a token, and what it keeps on the disk is in a folder that the caller
// removes. Only a process that knows the secret in the proxy's path may use it.
package cli
