package listen

// Held returns how many bytes of documents wait for clients.
func (h *Hub) Held() int64 { return h.held.Load() }
