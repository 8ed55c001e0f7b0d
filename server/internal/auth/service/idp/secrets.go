package idp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/service/apierror"
)

// secretFields lists the fields of configurations that are secrets. Stored configurations have them sealed, as objects
// with the field sealed, which requests cannot contain. It is empty for a secret that an import lacked. Servers of
// development store them as they are.
var secretFields = [][]string{{"clientSecret"}, {"appleSignInConfig", "codeFlowConfig", "privateKey"}, SigningKey}

// sealedField is the field of an object that takes the place of a secret.
const sealedField = "sealed"

// longestSecret is the maximum length of a secret in bytes. The longest are keys in PEM.
const longestSecret = 16 << 10

// Place names where a configuration is stored.
type Place struct {
	Scope    account.Scope
	Kind, ID string
}

// field returns the place of a secret, which sealed secrets are bound to.
func (p Place) field(path []string) string {
	return strings.Join([]string{"idp", p.Scope.Project, p.Scope.Tenant, p.Kind, p.ID, strings.Join(path, ".")}, "\x00")
}

// CheckSecrets refuses a configuration of a request whose secrets are not texts.
func CheckSecrets(body map[string]any) error {
	for _, path := range secretFields {
		switch v := at(body, path...).(type) {
		case nil:
		case string:
			if len(v) > longestSecret {
				return apierror.New("INVALID_CONFIG : %s is longer than %d bytes.", strings.Join(path, "."), longestSecret)
			}
		default:
			return apierror.New("INVALID_CONFIG : %s must be a string.", strings.Join(path, "."))
		}
	}
	return nil
}

// Seal seals the secrets of a configuration that are not. With fresh it also seals those anew that were sealed with
// another key than the first; those that cannot be opened stay. It reports whether it sealed any.
func Seal(config map[string]any, at Place, keys *secret.Keys, fresh bool) (changed bool) {
	for _, path := range secretFields {
		object, name := parent(config, path)
		switch v := object[name].(type) {
		case string:
			if v == "" {
				continue
			}
			object[name], changed = map[string]any{sealedField: keys.Seal(v, at.field(path))}, true
		case map[string]any:
			old, _ := v[sealedField].(string)
			if !fresh || old == "" || keys.Fresh(old) {
				continue
			}
			if plain, err := keys.Open(old, at.field(path)); err == nil {
				object[name], changed = map[string]any{sealedField: keys.Seal(plain, at.field(path))}, true
			}
		}
	}
	return changed
}

// HasPlain reports whether a configuration has a secret that is not sealed.
func HasPlain(config map[string]any) bool {
	for _, path := range secretFields {
		if text, _ := at(config, path...).(string); text != "" {
			return true
		}
	}
	return false
}

// Locked returns why sealed secrets of a configuration cannot be opened, or nothing. The reasons contain no secrets.
func Locked(config map[string]any, at Place, keys *secret.Keys) (reasons []string) {
	for _, path := range secretFields {
		object, name := parent(config, path)
		sealed, _ := object[name].(map[string]any)
		text, _ := sealed[sealedField].(string)
		if text == "" {
			continue
		}
		if _, err := keys.Open(text, at.field(path)); err != nil {
			reasons = append(reasons, fmt.Sprintf("%s of %s (key %s): %v", strings.Join(path, "."), at.ID, secret.KeyID(text), err))
		}
	}
	return reasons
}

// WithoutSecrets removes the secrets of a configuration, the sealed ones alone if plain is set, and returns the names
// of the fields that it removed.
func WithoutSecrets(config map[string]any, plain bool) (removed []string) {
	for _, path := range secretFields {
		object, name := parent(config, path)
		switch object[name].(type) {
		case nil:
			continue
		case string:
			if plain {
				continue
			}
		}
		delete(object, name)
		removed = append(removed, strings.Join(path, "."))
	}
	return removed
}

// KeepSecrets sets secrets that an exported configuration lacks: to those of the old one if it is of the same client,
// and otherwise as missing, so that no sign-in works without them. It returns the names of the missing ones.
func KeepSecrets(config, old map[string]any, lacking []string) (missing []string) {
	for _, path := range secretFields {
		field := strings.Join(path, ".")
		if !slices.Contains(lacking, field) {
			continue
		}
		object := config
		for _, name := range path[:len(path)-1] {
			below, ok := object[name].(map[string]any)
			if !ok {
				below = make(map[string]any)
				object[name] = below
			}
			object = below
		}
		kept := at(old, path...)
		if kept == nil || !sameClient(old, config) {
			kept = map[string]any{sealedField: ""}
			missing = append(missing, field)
		}
		object[path[len(path)-1]] = kept
	}
	return missing
}

// parent returns the object that has the last field of a path, nil if there is none, and the field's name.
func parent(config map[string]any, path []string) (object map[string]any, name string) {
	for _, name := range path[:len(path)-1] {
		config, _ = config[name].(map[string]any)
	}
	return config, path[len(path)-1]
}

// Secret is a secret of a stored configuration.
type Secret struct {
	// Given is set if the configuration has a secret, even one that an import lacked.
	Given         bool
	plain, sealed string
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Secret) UnmarshalJSON(text []byte) error {
	*s = Secret{}
	if err := json.Unmarshal(text, &s.plain); err == nil {
		s.Given = s.plain != ""
		return nil
	}
	var object struct {
		Sealed string `json:"sealed"`
	}
	err := json.Unmarshal(text, &object)
	s.sealed, s.Given = object.Sealed, true
	return err
}

// Open returns the secret in plain text. field is its path in the configuration.
func (s *Secret) Open(keys *secret.Keys, at Place, field ...string) (string, error) {
	if !s.Given || s.plain != "" {
		return s.plain, nil
	}
	if s.sealed == "" {
		return "", fmt.Errorf("the secret of %s was not part of an import; store it again", at.ID)
	}
	plain, err := keys.Open(s.sealed, at.field(field))
	if err != nil {
		return "", fmt.Errorf("the secret of %s cannot be opened: %w", at.ID, err)
	}
	return plain, nil
}
