// Plugin stands in for the provider in tests: it prints its version, and answers the CLI's greeting as a plugin does.
package main

import (
	"fmt"
	"os"
	"time"

	"gopkg.in/yaml.v3"
)

var (
	version  = "dev"
	protocol = "6"
)

func main() {
	if len(os.Args) > 1 {
		_, _ = yaml.Marshal(version) // a dependency, for the SBOM
		fmt.Println("terraform-provider-zulip version " + version)
		return
	}
	fmt.Println("1|" + protocol + "|unix|/nowhere|grpc|")
	time.Sleep(time.Minute)
}
