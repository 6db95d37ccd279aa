package main

import (
	"bytes"
	"crypto"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

func runSign(args []string) error {
	flags := flag.NewFlagSet("sign", flag.ContinueOnError)
	if err := parse(flags, args, "FILE", "SIGNATURE"); err != nil {
		return err
	}
	return sign(flags.Arg(0), flags.Arg(1), os.Getenv("GPG_PRIVATE_KEY"), os.Getenv("PASSPHRASE"))
}

// sign writes a detached binary signature over a file. It refuses a key that a registry would refuse.
func sign(file, signature, private, passphrase string) error {
	entity, err := signer(private, passphrase)
	if err != nil {
		return fmt.Errorf("Cannot sign %s: %w.", file, err)
	}
	key, ok := entity.SigningKey(time.Now())
	if !ok {
		return fmt.Errorf("Cannot sign %s: the key in GPG_PRIVATE_KEY has expired, or may not sign. Renew it, as CONTRIBUTING.md says under Releasing.", file)
	}
	for _, public := range []*packet.PublicKey{entity.PrimaryKey, key.PublicKey} {
		if err := checkKey(public); err != nil {
			return fmt.Errorf("Cannot sign %s: %w. Make an RSA key of 4096 bits, as CONTRIBUTING.md says under Releasing.", file, err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("Cannot sign %s: %w", file, err)
	}
	var out bytes.Buffer
	if err := openpgp.DetachSign(&out, entity, bytes.NewReader(content), &packet.Config{DefaultHash: crypto.SHA512}); err != nil {
		return fmt.Errorf("Cannot sign %s: %w", file, err)
	}
	return os.WriteFile(signature, out.Bytes(), 0o644)
}

func runKey(args []string) error {
	flags := flag.NewFlagSet("key", flag.ContinueOnError)
	if err := parse(flags, args, "DIR"); err != nil {
		return err
	}
	key, err := newKey(&packet.Config{Algorithm: packet.PubKeyAlgoRSA, RSABits: rsaBits})
	if err != nil {
		return fmt.Errorf("Cannot make a key: %w", err)
	}
	for name, text := range map[string]string{"private.asc": key.private, "public.asc": key.public} {
		if err := os.WriteFile(filepath.Join(flags.Arg(0), name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("Cannot write a key: %w", err)
		}
	}
	return nil
}

// A keyPair is an armored key without a passphrase.
type keyPair struct{ private, public string }

// newKey makes a key to try things with.
func newKey(config *packet.Config) (*keyPair, error) {
	entity, err := openpgp.NewEntity("Release rehearsal", "not for releases", "nobody@example.com", config)
	if err != nil {
		return nil, err
	}
	private, err := armored(openpgp.PrivateKeyType, func(w io.Writer) error { return entity.SerializePrivate(w, config) })
	if err != nil {
		return nil, err
	}
	public, err := armored(openpgp.PublicKeyType, entity.Serialize)
	return &keyPair{private, public}, err
}

// armored returns what serialize writes, as text.
func armored(kind string, serialize func(io.Writer) error) (string, error) {
	var out bytes.Buffer
	writer, err := armor.Encode(&out, kind, nil)
	if err != nil {
		return "", err
	}
	if err := serialize(writer); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	return out.String() + "\n", nil
}
