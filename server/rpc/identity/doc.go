// Package identity answers Identity Toolkit, Secure Token and what belongs to them over HTTP: it finds the method that a
// path names, decodes the request, identifies the caller and encodes the answer or the error. Whatever is decided is decided
// in package identity below.
//
// A request is for an API either by the first segment of its path, as the SDKs send it to the official emulator
// (/identitytoolkit.googleapis.com/v1/…), or by its Host header, as they send it to Google.
package identity
