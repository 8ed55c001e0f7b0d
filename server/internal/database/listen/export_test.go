package listen

// Held returns how many bytes of documents wait for clients.
func (h *Hub) Held() int64 { return h.held.Load() }

// Windows returns how many bytes the windows of all views take.
func (h *Hub) Windows() int64 { return h.windows.Load() }
