package program

import (
	"fmt"
	"net"
	"testing"
)

// TestPortsAreReserved checks that a port cannot be reserved again until the test that got it ends.
func TestPortsAreReserved(t *testing.T) {
	var address string
	bind := func() error {
		reserved, err := net.ListenPacket("udp", address)
		if err == nil {
			_ = reserved.Close()
		}
		return err
	}
	t.Run("a test", func(t *testing.T) {
		address = fmt.Sprintf("127.0.0.1:%d", FreePorts(t, 1)[0])
		if bind() == nil {
			t.Error("the port is not reserved")
		}
		ln, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatalf("the port is not free: %v", err)
		}
		_ = ln.Close()
	})
	if err := bind(); err != nil {
		t.Errorf("the port is reserved after the end of its test: %v", err)
	}
}
