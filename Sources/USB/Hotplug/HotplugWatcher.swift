internal import Synchronization

/// Looks at the kernel's devices and tells one consumer what came and went. The first look is the state to start from.
final class HotplugWatcher: Sendable {
    private let kernel: KernelDeviceList
    private let events: AsyncStream<USBHotplugEvent>.Continuation
    private let register = Mutex<HotplugRegister?>(nil)

    init(_ kernel: KernelDeviceList, events: AsyncStream<USBHotplugEvent>.Continuation) {
        (self.kernel, self.events) = (kernel, events)
    }

    /// Looks once. A look that fails changes nothing: the next one sees more.
    func look() {
        guard let found = try? kernel.devices() else { return }
        let devices = found.map(\.device)
        register.withLock { register in
            guard register != nil else {
                register = HotplugRegister(devices)
                return
            }
            let news = register?.update(devices) { KernelDeviceList.isAccessible($0) && $0.hasSettledHID }
            // Under the lock, so that the consumer sees them in the order in which they happened.
            for event in news ?? [] { events.yield(event) }
        }
    }
}
