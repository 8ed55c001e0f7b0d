package settings

import (
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
)

// unbuilt lists the settings without an effect, each with the values that ask for one and the reason.
var unbuilt = []struct {
	path, reason string
	asks         func(v any) bool
}{
	{"recaptchaConfig.emailPasswordEnforcementState", noRecaptcha, enforced},
	{"recaptchaConfig.phoneEnforcementState", noRecaptcha, enforced},
	{"recaptchaConfig.useAccountDefender", noRecaptcha, isTrue},
	{"recaptchaConfig.useSmsBotScore", noRecaptcha, isTrue},
	{"recaptchaConfig.useSmsTollFraudProtection", noRecaptcha, isTrue},
	{"quota.signUpQuotaConfig", "limits of sign-ups are the server's own (server/doc/auth.md)", notEmpty},
	{"notification.sendEmail", "e-mails are sent by --mail with the texts of Clave", notEmpty},
	{"notification.defaultLocale", "e-mails and text messages have the language of the request", notEmpty},
	{"mobileLinksConfig.domain", "Firebase Dynamic Links has ended: links are those of the public URL", dynamicLinks},
	{"monitoring.requestLogging.enabled", "requests are logged with --verbose", isTrue},
	{"inheritance.emailSendingConfig", "tenants send e-mails as the server does, by --mail", isFalse},
	{"autodeleteAnonymousUsers", "anonymous accounts stay until they are deleted", isTrue},
}

// noRecaptcha is the reason of the settings of reCAPTCHA.
const noRecaptcha = "only Google can verify reCAPTCHA"

// enforced reports whether a state of reCAPTCHA is not off.
func enforced(v any) bool {
	state := fmt.Sprint(v)
	// An enumeration may be given by its number, too.
	return v != nil && !slices.Contains([]string{"", "OFF", "0", "1"}, state) && !strings.HasSuffix(state, "_UNSPECIFIED")
}

// isTrue reports whether a setting is not off.
func isTrue(v any) bool { return v != nil && v != false && v != "false" }

// isFalse reports whether a setting is off and not only absent.
func isFalse(v any) bool { return v == false || v == "false" }

// notEmpty reports whether a setting has a value.
func notEmpty(v any) bool {
	object, ok := v.(map[string]any)
	return v != nil && v != "" && (!ok || len(object) > 0)
}

// dynamicLinks reports whether a domain of links is not one of Hosting.
func dynamicLinks(v any) bool {
	domain := fmt.Sprint(v)
	return v != nil && !slices.Contains([]string{"", "HOSTING_DOMAIN", "0", "2"}, domain) && !strings.HasSuffix(domain, "_UNSPECIFIED")
}

// CheckBuilt refuses settings of a request that would have no effect: whoever turns a protection on must not believe
// that it is. mask lists the fields that the request changes; empty means all.
func CheckBuilt(body map[string]any, mask []string) error {
	for _, setting := range unbuilt {
		parts := strings.Split(setting.path, ".")
		if !masked(mask, setting.path) {
			continue
		}
		object := body
		for _, name := range parts[:len(parts)-1] {
			object, _ = object[name].(map[string]any)
		}
		if setting.asks(object[parts[len(parts)-1]]) {
			return fault.E(fault.Unimplemented, "UNIMPLEMENTED : %s is not implemented (%s).", setting.path, setting.reason)
		}
	}
	return nil
}

// masked reports whether a mask has a field, one above it or one below it.
func masked(mask []string, path string) bool {
	for _, m := range mask {
		if m == path || strings.HasPrefix(path, m+".") || strings.HasPrefix(m, path+".") {
			return true
		}
	}
	return len(mask) == 0
}
