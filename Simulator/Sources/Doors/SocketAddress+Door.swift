internal import Sockets

extension SocketAddress {
    /// Everything that the address may mean, in the order in which it is to be tried; nothing when there is no such
    /// host, or when a path is longer than the system takes.
    static func resolve(_ address: DoorAddress, _ waiter: SocketWaiter) async -> [SocketAddress] {
        switch address {
        case .unix(let path): [SocketAddress(path: path)].compactMap(\.self)
        case .tcp(let host, let port): await waiter.run { lookUp(host, port: port) }
        }
    }
}
