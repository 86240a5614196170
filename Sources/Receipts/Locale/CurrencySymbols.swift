/// The symbols that mean one currency wherever they are read (Unicode CLDR, the names that are not narrow). A currency
/// that is not here is written by its code.
enum CurrencySymbols {
    static func symbol(of code: String) -> String? { table[code] }

    private static let table = [
        "AUD": "A$", "BRL": "R$", "CAD": "CA$", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
        "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "US$", "VND": "₫",
    ]
}
