//go:build !linux && !darwin

package transfer

import "errors"

// exchange is not possible.
func exchange(string, string) error { return errors.ErrUnsupported }

// isMount is not known.
func isMount(string) bool { return false }
