package factor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/apierror"
	"clave/server/internal/auth/service/factor"
	"clave/server/internal/auth/service/userinfo"
)

// TestEnroll enrolls factors that an administrator lists. want is the beginning of the error, or empty.
func TestEnroll(t *testing.T) {
	had := []account.Factor{{ID: "app", Secret: []byte("secret")}}
	app := &struct{}{}
	var six []userinfo.Factor
	for i := range 6 {
		six = append(six, userinfo.Factor{PhoneInfo: fmt.Sprintf("+1555010000%d", i)})
	}
	for _, c := range []struct {
		name   string
		list   []userinfo.Factor
		newIDs bool
		want   string
		left   int
	}{
		{"a phone", []userinfo.Factor{{PhoneInfo: "+15550100001"}}, true, "", 1},
		{"a phone without id", []userinfo.Factor{{PhoneInfo: "+15550100001"}}, false, "INVALID_MFA_ENROLLMENT_ID", 0},
		{"a phone twice", []userinfo.Factor{{PhoneInfo: "+15550100001"}, {PhoneInfo: "+15550100001"}}, true, "", 1},
		{"no number", []userinfo.Factor{{PhoneInfo: "x"}}, true, "INVALID_MFA_PHONE_NUMBER", 0},
		{"one id twice", []userinfo.Factor{{MFAEnrollmentID: "a", PhoneInfo: "+15550100001"}, {MFAEnrollmentID: "a", PhoneInfo: "+15550100002"}}, true, "DUPLICATE_MFA_ENROLLMENT_ID", 1},
		{"an app that the user has", []userinfo.Factor{{MFAEnrollmentID: "app", TOTPInfo: app}}, true, "", 1},
		{"an unknown app", []userinfo.Factor{{MFAEnrollmentID: "other", TOTPInfo: app}}, true, "MFA_ENROLLMENT_NOT_FOUND", 0},
		{"too many", six, true, "SECOND_FACTOR_LIMIT_EXCEEDED", 5},
	} {
		u := &account.User{}
		got := ""
		if err := factor.Enroll(u, c.list, had, c.newIDs, time.Unix(1_700_000_000, 0)); err != nil {
			got = apierror.Text(err)
		}
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) || len(u.Factors) != c.left {
			t.Errorf("%s: error %q and %d factors, want %q and %d", c.name, got, len(u.Factors), c.want, c.left)
		}
		if f := u.Factor("app"); f != nil && string(f.Secret) != "secret" {
			t.Errorf("%s: the app's secret is %q, want the one that it had", c.name, f.Secret)
		}
	}
}
