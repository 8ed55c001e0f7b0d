package authapp

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"time"

	"clave/server/internal/base/randid"
)

// Parameters of the codes: those of Firebase (RFC 6238). The hash is SHA-1.
const (
	// period is the length of a step, in seconds.
	period = 30
	// digits is the length of a code.
	digits = 6
	// secretBytes is the length of a secret.
	secretBytes = 20
)

// newSecret returns a random secret.
func newSecret() []byte { return randid.Bytes(secretBytes) }

// encode returns a secret in the form that authenticator apps accept: base32 without padding.
func encode(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// Code returns the code of a step (RFC 4226, §5.3). Steps are periods since 1970.
func Code(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // Writing to a hash never fails.
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, n%1_000_000)
}

// checkCode returns the step to which code belongs. The app's clock may differ from now by window periods in either
// direction. Steps up to last don't count: a code is valid once, and older codes are not valid after it. ok is false if
// the code belongs to no step.
func checkCode(secret []byte, code string, now time.Time, window int, last int64) (step int64, ok bool) {
	present := now.Unix() / period
	for step := present - int64(window); step <= present+int64(window); step++ {
		if step > last && subtle.ConstantTimeCompare([]byte(Code(secret, step)), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}
