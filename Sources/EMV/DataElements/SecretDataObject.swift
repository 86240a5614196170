internal import CardSecrets

/// The value of a secret data element, in a form that a dictionary can hold and nothing can print.
final class SecretDataObject: Sendable, CustomStringConvertible, CustomReflectable {
    let value: SensitiveBytes

    init(_ bytes: [UInt8]) { value = SensitiveBytes(bytes) }

    var description: String { "SecretDataObject(masked)" }

    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
