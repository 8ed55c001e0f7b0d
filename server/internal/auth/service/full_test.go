package service_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// TestAFullDisk refreshes a token, disables another account and changes a password on a full disk. The last is refused,
// and the old password remains.
func TestAFullDisk(t *testing.T) {
	disk := pebbletest.OpenFullDisk(t)
	f := open(t, func(o *service.Options) { o.Accounts = account.New(disk) })
	f.signUp("ana@example.com")
	signed, err := f.signIn("ana@example.com")
	if err != nil {
		t.Fatal(err)
	}
	eve, _ := f.signUp("eve@example.com")
	f.clock.Advance(30 * time.Minute)
	disk.Left.Store(0)
	grant := "refresh_token"
	if _, err := f.Refresh(t.Context(), client, &service.RefreshRequest{GrantType: &grant, RefreshToken: &signed.RefreshToken}); err != nil {
		t.Errorf("refresh a token = %v", err)
	}
	f.disable(eve)
	other := "secret2"
	if _, err := f.Update(t.Context(), client, &updateform.Request{IDToken: &signed.IDToken, Password: &other}); !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("another password = %v, want RESOURCE_EXHAUSTED", err)
	}
	disk.Left.Store(pebbletest.Plenty)
	if _, err := f.signIn("ana@example.com"); err != nil {
		t.Errorf("sign in with the old password = %v", err)
	}
	_, err = f.signIn("eve@example.com")
	wantError(t, "sign in to the disabled account", err, "USER_DISABLED")
}
