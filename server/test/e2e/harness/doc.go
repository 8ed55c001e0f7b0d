// Package harness starts servers for the tests of package e2e, in the process of the test (Start), as `clave start`
// (StartProgram), as `clave serve` (Serve), or as several nodes, and has the clients that several of these tests use.
package harness
