package account

// MaxDecodedSessions is maxDecodedSessions.
const MaxDecodedSessions = maxDecodedSessions

// DecodedSessions returns the number of accounts whose sessions are kept decoded.
func (s *Store) DecodedSessions() int {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return len(s.sessions.mu.known)
}
