// Package route describes the methods of the administration APIs: their paths, the permissions that they need, and the
// requests that they receive.
package route
