package backoffice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cloud.google.com/go/firestore"
)

// spelledPrefix is the number of characters of an address whose case variants are searched for.
//
// Documents of visitors have addresses as they were typed, and Firestore compares strings with their case and spaces. A
// document of an address is therefore found by several ranges of the index: one for each case variant of the address's
// first spelledPrefix characters, and those of all strings that begin with a space. The documents in these ranges are
// then compared without case and outer spaces.
const spelledPrefix = 3

// normalAddress returns an address without spaces around it and in lower case, as the service keeps it.
func normalAddress(address string) string { return strings.ToLower(strings.TrimSpace(address)) }

// prefixes returns the case variants of the first characters of an address.
func prefixes(address string) []string {
	all := []string{""}
	for i, r := range []rune(normalAddress(address)) {
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

// span is a range of strings, from the first to before the second.
type span struct{ from, to string }

// spans returns the ranges that contain all spellings of an address.
func spans(address string) []span {
	var all []span
	for _, prefix := range prefixes(address) {
		all = append(all, span{prefix, prefix + string(unicode.MaxRune)})
	}
	for _, spaces := range unicode.White_Space.R16 {
		for space := rune(spaces.Lo); space <= rune(spaces.Hi); space += rune(spaces.Stride) {
			all = append(all, span{string(space), string(space + 1)})
		}
	}
	return all
}

// ofAddress returns the documents of a collection whose field email is an address, in any case and with or without
// outer spaces.
func ofAddress(ctx context.Context, in *firestore.CollectionRef, address string) ([]*firestore.DocumentRef, error) {
	var refs []*firestore.DocumentRef
	for _, s := range spans(address) {
		query := in.Where("email", ">=", s.from).Where("email", "<", s.to).OrderBy("email", firestore.Asc).
			Select("email").Limit(eraseBatch)
		for page := query; ; {
			found, err := page.Documents(ctx).GetAll()
			if err != nil {
				return nil, fmt.Errorf("find in %s: %w", in.ID, err)
			}
			for _, document := range found {
				if text, _ := document.Data()["email"].(string); normalAddress(text) == normalAddress(address) {
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
