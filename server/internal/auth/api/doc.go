// Package api serves the Identity Toolkit and Secure Token APIs and their public keys over HTTP. It finds the
// method of a path, decodes the request, identifies the caller and encodes the response or the error. All decisions are
// made in the package server/internal/auth/service below.
//
// A request is for an API either by the first segment of its path, as the SDKs send it to the official emulator
// (/identitytoolkit.googleapis.com/v1/…), or by its Host header, as they send it to Google.
package api
