// Package config turns flags, environment and firebase.json into one checked Config. Paths in firebase.json are
// relative to that file. Every mistake is named with its file, line and a remedy before anything is started.
package config
