// Package config reads flags, environment and firebase.json into one checked Config. Paths in firebase.json are
// relative to that file. Every mistake is reported with its file, line and remedy before anything is started.
package config
