package backoffice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cloud.google.com/go/firestore"
)

// Documents of visitors have addresses as they were typed, and Firestore compares strings with their case. So a document of an address is
// found by the case variants of the address's first spelledPrefix characters, each a range of the index, and is then compared without case.
const spelledPrefix = 3

// normal returns an address without spaces around it and in lower case, as the service keeps it.
func normal(address string) string { return strings.ToLower(strings.TrimSpace(address)) }

// prefixes returns the case variants of the first characters of an address.
func prefixes(address string) []string {
	all := []string{""}
	for i, r := range []rune(normal(address)) {
		if i == spelledPrefix {
			break
		}
		var longer []string
		for _, prefix := range all {
			longer = append(longer, prefix+string(r))
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				longer = append(longer, prefix+string(other))
			}
		}
		all = longer
	}
	return all
}

// ofAddress returns the documents of a collection whose field email is an address, in any case.
func ofAddress(ctx context.Context, in *firestore.CollectionRef, address string) ([]*firestore.DocumentRef, error) {
	var refs []*firestore.DocumentRef
	for _, prefix := range prefixes(address) {
		query := in.Where("email", ">=", prefix).Where("email", "<", prefix+string(unicode.MaxRune)).OrderBy("email", firestore.Asc).
			Select("email").Limit(eraseBatch)
		for page := query; ; {
			found, err := page.Documents(ctx).GetAll()
			if err != nil {
				return nil, fmt.Errorf("find in %s: %w", in.ID, err)
			}
			for _, document := range found {
				if text, _ := document.Data()["email"].(string); normal(text) == normal(address) {
					refs = append(refs, document.Ref)
				}
			}
			if len(found) < eraseBatch {
				break
			}
			page = query.StartAfter(found[len(found)-1])
		}
	}
	return refs, nil
}

// eraseAddress erases the documents of an address in a collection.
func (t *trace) eraseAddress(ctx context.Context, collection, address string) error {
	refs, err := ofAddress(ctx, t.documents.Collection(collection), address)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(refs, eraseBatch) {
		if err := t.eraseDocuments(ctx, batch, collection); err != nil {
			return err
		}
	}
	return nil
}
