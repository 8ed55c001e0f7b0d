package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPartitionsComeInPages(t *testing.T) {
	s := newServer(t)
	for batch := range 2 {
		var writes []string
		for i := range 500 {
			writes = append(writes, fmt.Sprintf(`{"update":{"name":"%s/c/%04d"}}`, docs, 500*batch+i))
		}
		if status, _, body := send(t, s, "POST", ":commit", `{"writes":[`+strings.Join(writes, ",")+`]}`); status != 200 {
			t.Fatalf("commit: %d %.200s", status, body)
		}
	}
	page := func(more string) (names []string, next string) {
		const q = `{"structuredQuery":{"from":[{"collectionId":"c","allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]},"partitionCount":10`
		_, _, body := send(t, s, "POST", ":partitionQuery", q+more+`}`)
		var page struct {
			Partitions []struct {
				Values []struct{ ReferenceValue string }
				Before bool
			}
			NextPageToken string
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for _, p := range page.Partitions {
			names = append(names, p.Values[0].ReferenceValue)
		}
		return names, page.NextPageToken
	}
	all, next := page("")
	if len(all) != 8 || next != "" || !slices.IsSorted(all) {
		t.Errorf("one page has %q, next %q; want 8 points and no more", all, next)
	}
	var paged []string
	for pages := 0; pages == 0 || next != ""; pages++ {
		var names []string
		names, next = page(fmt.Sprintf(`,"pageSize":3,"pageToken":%q`, next))
		if paged = append(paged, names...); len(names) > 3 || pages > 3 {
			t.Fatalf("page %d has %d points, want at most 3", pages, len(names))
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("pages have %q, want %q", paged, all)
	}
	for more, want := range map[string]string{
		`,"pageToken":"zz"`: "invalid page token", `,"pageSize":-1`: "Page size must be nonnegative.", `,"partitionCount":0`: "Partition count must be positive.",
	} {
		if status, _, body := send(t, s, "POST", ":partitionQuery", `{"structuredQuery":{"from":[{"collectionId":"c","allDescendants":true}]},"partitionCount":1`+more+`}`); status != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want 400 …%s…", more, status, body, want)
		}
	}
}
