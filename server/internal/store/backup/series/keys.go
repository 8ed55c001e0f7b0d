package series

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"

	"clave/server/internal/base/fault"
)

// Keys encrypt and decrypt backups. A nil Keys does neither.
type Keys struct {
	recipients []age.Recipient
	identities []age.Identity
	// names are the public keys of the recipients, sorted.
	names []string
}

// ParseKeys parses a file of keys as age and age-keygen write them, one on each line: public keys (age1…), for which
// backups are encrypted, and secret keys (AGE-SECRET-KEY-…), which decrypt them and whose public keys count too. Errors
// never have parts of a key.
func ParseKeys(text string) (*Keys, error) {
	k := &Keys{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !k.add(line) {
			return nil, fault.E(fault.InvalidArgument, "line %d is not a key of age: expected age1… or AGE-SECRET-KEY-…", i+1)
		}
	}
	if len(k.recipients) == 0 {
		return nil, fault.E(fault.InvalidArgument, "it has no key")
	}
	slices.Sort(k.names)
	k.names = slices.Compact(k.names)
	return k, nil
}

// add adds the key of a line. It returns false if the line is none.
func (k *Keys) add(line string) bool {
	if strings.HasPrefix(line, "age1") {
		all, err := age.ParseRecipients(strings.NewReader(line))
		if err == nil {
			k.recipients, k.names = append(k.recipients, all...), append(k.names, line)
		}
		return err == nil
	}
	all, err := age.ParseIdentities(strings.NewReader(line))
	if err != nil {
		return false
	}
	for _, identity := range all {
		switch identity := identity.(type) {
		case *age.X25519Identity:
			k.recipients, k.names = append(k.recipients, identity.Recipient()), append(k.names, identity.Recipient().String())
		case *age.HybridIdentity:
			k.recipients, k.names = append(k.recipients, identity.Recipient()), append(k.names, identity.Recipient().String())
		default:
			return false
		}
	}
	k.identities = append(k.identities, all...)
	return true
}

// CanDecrypt reports whether there is a secret key.
func (k *Keys) CanDecrypt() bool { return k != nil && len(k.identities) > 0 }

// base returns the first part of the name of an object by the checksum of its content. With keys it is made with a
// secret, so that it does not show what is encrypted, and with the recipients, who can read no other objects.
func (k *Keys) base(sum, secret string) string {
	if k == nil {
		return sum
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s %s", sum, strings.Join(k.names, " ")) // a hash takes everything
	return hex.EncodeToString(mac.Sum(nil))
}

// seal encrypts a text.
func (k *Keys) seal(text []byte) ([]byte, error) {
	var out bytes.Buffer
	err := k.sealTo(&out, bytes.NewReader(text))
	return out.Bytes(), err
}

// sealTo encrypts what it reads.
func (k *Keys) sealTo(w io.Writer, r io.Reader) error {
	to, err := age.Encrypt(w, k.recipients...)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, r); err != nil {
		return err
	}
	return to.Close()
}

// open returns a reader of what is encrypted in r.
func (k *Keys) open(r io.Reader) (io.Reader, error) {
	if !k.CanDecrypt() {
		return nil, fault.E(fault.FailedPrecondition, "it is encrypted; name the file with the secret key (AGE-SECRET-KEY-…) with --backup-key-file")
	}
	out, err := age.Decrypt(r, k.identities...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "it is encrypted for other keys than those of --backup-key-file")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.DataLoss, "its encryption is damaged: %v", err)
	}
	return decrypted{out}, nil
}

// openAll decrypts bytes to at most a number of bytes.
func (k *Keys) openAll(sealed []byte, most int64) ([]byte, error) {
	r, err := k.open(bytes.NewReader(sealed))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(content)) > most {
		err = fault.E(fault.DataLoss, "it is larger than %d bytes", most)
	}
	return content, err
}

// decrypted is a reader of what is encrypted, whose errors are named.
type decrypted struct{ io.Reader }

// Read implements io.Reader.
func (d decrypted) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && fault.CodeOf(err) == fault.Internal {
		err = fault.Wrap(err, fault.DataLoss, "its encryption is damaged: %v", err)
	}
	return n, err
}
