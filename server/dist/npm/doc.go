// Package npm holds the npm packages of Clave: clave, with the command and an API for test runners, and one package
// with the program for each platform. pack.mjs creates the tarballs; the test installs them as a project does.
package npm
