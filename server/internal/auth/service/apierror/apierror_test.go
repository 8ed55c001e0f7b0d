package apierror_test

import (
	"errors"
	"fmt"
	"testing"

	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/base/fault"
)

// TestErrorsOfTheAPI distinguishes the API's errors, also when they are wrapped, from internal failures, whose text no
// client receives.
func TestErrorsOfTheAPI(t *testing.T) {
	err := apierror.New("INVALID_CLAIMS : %s", "sub")
	for _, e := range []error{err, fmt.Errorf("import: %w", err)} {
		if got := apierror.Text(e); got != "INVALID_CLAIMS : sub" || !apierror.Is(e) {
			t.Errorf("%v: Text = %q, Is = %v", e, got, apierror.Is(e))
		}
	}
	for _, other := range []error{nil, errors.New("disk"), fault.E(fault.PermissionDenied, "denied")} {
		if apierror.Is(other) {
			t.Errorf("%v counts as an error of the API", other)
		}
	}
	if got := apierror.Text(errors.New("the disk of /var/lib is full")); got == "the disk of /var/lib is full" {
		t.Error("the text of an internal failure reaches clients")
	}
}

// TestChoice accepts the API's values of a setting, and an empty one.
func TestChoice(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "ENABLED": "", "DISABLED": "",
		"enabled": `Invalid value at 'mfa.state', "enabled"`, "ON": `Invalid value at 'mfa.state', "ON"`,
	} {
		err := apierror.Choice("mfa.state", word, "ENABLED", "DISABLED")
		if got := ""; err != nil {
			got = fault.FromError(err).Message
			if got != want || !fault.Is(err, fault.InvalidArgument) {
				t.Errorf("Choice(%q) = %v, want InvalidArgument with %q", word, err, want)
			}
		} else if want != "" {
			t.Errorf("Choice(%q) accepts it", word)
		}
	}
}
