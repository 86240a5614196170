/// The checks, in the order in which they are made: from the machine up to the shop. What a check says first is the
/// likelier reason for what a later one says.
public enum CheckName: String, Hashable, Sendable, CaseIterable {
    case libraries
    case configuration
    case database
    case clock
    case usb
    case rules
    case group
    case reader
    case permission
    case owner
    case power
    case answer
    case printer

    /// What is looked at.
    public var purpose: String {
        switch self {
        case .libraries: "The libraries that are loaded when they are needed are installed."
        case .configuration: "The configuration file can be read."
        case .database: "The records can be written, and there is room for more."
        case .clock: "The clock is right: certificates and receipts carry dates."
        case .usb: "The kernel has USB, and its devices have nodes."
        case .rules: "The udev rules that give card readers to users are installed and in their place."
        case .group: "The group of those rules exists, and the user is in it."
        case .reader: "A card reader is plugged in."
        case .permission: "The user may open every card reader."
        case .owner: "No other program and no driver of the kernel holds a card reader."
        case .power: "No card reader is put to sleep that does not wake up."
        case .answer: "Every card reader answers."
        case .printer: "The print server answers, and the receipts' queue takes jobs."
        }
    }
}
