package sandbox

import (
	"net"
	"strconv"
)

// address is where a server listens.
type address struct {
	// urls are where clients reach it, the first one from the same machine.
	urls []string
	// isEvery says that it listens on every address of the machine, isLocal that no other machine can reach it.
	isEvery, isLocal bool
}

// addressOf returns where a listener is reached. One on every address, as on 0.0.0.0, is at none that a client could use: it is
// reached at loopback and at the addresses of the machine.
func addressOf(scheme string, listens net.Addr) address {
	at := func(ip net.IP, port int) string {
		return scheme + "://" + net.JoinHostPort(ip.String(), strconv.Itoa(port))
	}
	tcp, ok := listens.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address{urls: []string{scheme + "://" + listens.String()}, isLocal: ok && tcp.IP.IsLoopback()}
	}
	every := address{urls: []string{at(net.IPv4(127, 0, 0, 1), tcp.Port)}, isEvery: true}
	own, _ := net.InterfaceAddrs() // where they are not known, loopback has to do
	for _, one := range own {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			every.urls = append(every.urls, at(network.IP, tcp.Port))
		}
	}
	return every
}

// url is where a client on the same machine reaches the server; "" before it listens.
func (a address) url() string {
	if len(a.urls) == 0 {
		return ""
	}
	return a.urls[0]
}
