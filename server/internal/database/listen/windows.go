package listen

import "clave/server/internal/base/fault"

// errWindows returns the error of a target whose window does not fit into the memory for windows.
func errWindows() error {
	return fault.E(fault.ResourceExhausted, "The queries with a limit that this client listens to take too much memory.")
}

// countWindow updates the hub's count of bytes in windows; feedReader.mu is held. It is called after each change of
// v.win.
func (v *view) countWindow() {
	now := 0
	if v.win != nil {
		now = v.win.bytes
	}
	v.feed.hub.windows.Add(int64(now - v.counted))
	v.counted = now
}

// checkWindows returns ResourceExhausted if the windows of all streams take too much memory, and those of this stream
// more than an equal share. Streams that share a view share its window. So the windows of all streams together take at
// most twice MaxWindowBytes, and a client with many large ones is refused, not those with few.
func (s *Stream) checkWindows() error {
	most := int64(s.hub.o.MaxWindowBytes)
	if s.hub.windows.Load() <= most {
		return nil
	}
	var own int64
	s.feed.mu.Lock()
	for _, t := range s.targets {
		if t.view != nil {
			own += int64(t.view.counted / len(t.view.subs))
		}
	}
	s.feed.mu.Unlock()
	if own > most/int64(max(1, s.hub.Streams())) {
		return errWindows()
	}
	return nil
}
