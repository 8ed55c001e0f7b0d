//go:build !linux

package transfer

import "errors"

// exchange is not possible.
func exchange(string, string) error { return errors.ErrUnsupported }
