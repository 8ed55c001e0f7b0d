package hosting

import (
	"container/list"
	"sync"
)

// maxCached is the number of bytes of a cache of its own that a site has.
const maxCached = 128 << 20

// Cache keeps the files that sites have served, with their encodings, up to a number of bytes. The file that was not
// served for the longest time makes room for others. Sites may share a cache. It is safe for concurrent use.
type Cache struct {
	max int64
	mu  struct {
		sync.Mutex
		used    int64
		entries map[cacheKey]*list.Element
		// recent has the entries, the latest one first.
		recent *list.List
	}
}

// cacheKey names a file of a site.
type cacheKey struct {
	site *Site
	name string
}

// cached is an entry of a cache.
type cached struct {
	key  cacheKey
	file *file
	cost int64
}

// NewCache returns a cache of a number of bytes.
func NewCache(bytes int64) *Cache {
	c := &Cache{max: bytes}
	c.mu.entries, c.mu.recent = make(map[cacheKey]*list.Element), list.New()
	return c
}

// get returns a file, or nil.
func (c *Cache) get(key cacheKey) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.mu.entries[key]
	if e == nil {
		return nil
	}
	c.mu.recent.MoveToFront(e)
	return e.Value.(*cached).file
}

// put keeps a file in place of the one with its key, if any. cost is the number of bytes of its forms.
func (c *Cache) put(key cacheKey, f *file, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(c.mu.entries[key])
	if cost > c.max {
		return
	}
	c.mu.used += cost
	c.mu.entries[key] = c.mu.recent.PushFront(&cached{key, f, cost})
	for c.mu.used > c.max {
		c.removeLocked(c.mu.recent.Back())
	}
}

// drop removes the files of a site.
func (c *Cache) drop(site *Site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.mu.entries {
		if key.site == site {
			c.removeLocked(e)
		}
	}
}

// removeLocked removes an entry, which may be nil; mu is held.
func (c *Cache) removeLocked(e *list.Element) {
	if e == nil {
		return
	}
	old := e.Value.(*cached)
	c.mu.recent.Remove(e)
	delete(c.mu.entries, old.key)
	c.mu.used -= old.cost
}
