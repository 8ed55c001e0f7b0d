package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"clave/server/app"
	"clave/server/config"
)

// execute starts a server, runs a command against it and returns the command's exit code.
func execute(ctx context.Context, args []string, s streams) (int, error) {
	c, err := config.Parse(config.ModeExec, args, os.Getenv, s.err)
	if err != nil {
		return 1, err
	}
	a, err := app.New(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.err})
	if err != nil {
		return 1, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- a.Run(serving, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		return 1, err
	}
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.out, s.err
	addresses := a.Addresses()
	cmd.Env = append(os.Environ(), "GCLOUD_PROJECT="+c.Project, "GOOGLE_CLOUD_PROJECT="+c.Project)
	if addresses.Firestore != "" {
		cmd.Env = append(cmd.Env, "FIRESTORE_EMULATOR_HOST="+addresses.Firestore)
	}
	if addresses.Auth != "" {
		cmd.Env = append(cmd.Env, "FIREBASE_AUTH_EMULATOR_HOST="+addresses.Auth)
	}
	ran := cmd.Run()
	stop()
	if err := <-ended; err != nil {
		return 1, err
	}
	var exit *exec.ExitError
	if errors.As(ran, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, ran
}
