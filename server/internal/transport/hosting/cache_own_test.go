package hosting

import "testing"

// TestCache fills a cache with files of two sites, and expects that the files served last stay, within its bytes.
func TestCache(t *testing.T) {
	c, a, b := NewCache(100), &Site{}, &Site{}
	put := func(s *Site, name string, cost int64) { c.put(cacheKey{s, name}, &file{}, cost) }
	has := func(s *Site, name string) bool { return c.get(cacheKey{s, name}) != nil }
	put(a, "one", 40)
	put(b, "one", 40)
	if !has(a, "one") {
		t.Error("the first file is not kept")
	}
	put(a, "two", 40) // the file of b was not served for the longest time
	if !has(a, "one") || has(b, "one") || !has(a, "two") {
		t.Errorf("kept: a/one %t, b/one %t, a/two %t, want the first and the last", has(a, "one"), has(b, "one"), has(a, "two"))
	}
	put(a, "large", 101)
	if has(a, "large") || !has(a, "two") {
		t.Error("a file larger than the cache is kept, or has displaced others")
	}
	put(a, "one", 10)
	if c.mu.used != 50 {
		t.Errorf("after a file was replaced the cache has %d bytes, want 50", c.mu.used)
	}
	c.drop(a)
	if has(a, "one") || has(a, "two") || c.mu.used != 0 || c.mu.recent.Len() != 0 {
		t.Errorf("a dropped site has files in the cache, of %d bytes", c.mu.used)
	}
}
