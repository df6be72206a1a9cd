@description('Name of the network.')
param name string

@description('Name of the rules of the subnet that the app calls out from.')
param appRulesName string

@description('Name of the rules of the subnet that private endpoints stand in.')
param endpointRulesName string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Address space.')
param addressPrefix string

@description('Addresses of the subnet that the app calls out from.')
param appPrefix string

@description('Addresses of the subnet that private endpoints stand in.')
param endpointPrefix string

resource appRules 'Microsoft.Network/networkSecurityGroups@2025-09-01' = {
  name: appRulesName
  location: location
  tags: tags
  properties: {
    securityRules: []
  }
}

resource endpointRules 'Microsoft.Network/networkSecurityGroups@2025-09-01' = {
  name: endpointRulesName
  location: location
  tags: tags
  properties: {
    securityRules: [
      {
        name: 'https-from-network'
        properties: {
          priority: 100
          direction: 'Inbound'
          access: 'Allow'
          protocol: 'Tcp'
          sourceAddressPrefix: 'VirtualNetwork'
          sourcePortRange: '*'
          destinationAddressPrefix: '*'
          destinationPortRange: '443'
        }
      }
      {
        name: 'nothing-else'
        properties: {
          priority: 4096
          direction: 'Inbound'
          access: 'Deny'
          protocol: '*'
          sourceAddressPrefix: '*'
          sourcePortRange: '*'
          destinationAddressPrefix: '*'
          destinationPortRange: '*'
        }
      }
    ]
  }
}

resource network 'Microsoft.Network/virtualNetworks@2025-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: {
      addressPrefixes: [
        addressPrefix
      ]
    }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: appPrefix
          networkSecurityGroup: {
            id: appRules.id
          }
          delegations: [
            {
              name: 'functions'
              properties: {
                serviceName: 'Microsoft.App/environments'
              }
            }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: {
          addressPrefix: endpointPrefix
          privateEndpointNetworkPolicies: 'Enabled'
          networkSecurityGroup: {
            id: endpointRules.id
          }
        }
      }
    ]
  }
}

resource endpointSubnet 'Microsoft.Network/virtualNetworks/subnets@2025-09-01' existing = {
  parent: network
  name: 'endpoints'
}

resource appSubnet 'Microsoft.Network/virtualNetworks/subnets@2025-09-01' existing = {
  parent: network
  name: 'app'
}

@description('Resource id of the network.')
output id string = network.id

@description('Resource id of the subnet that the app calls out from.')
output appSubnetId string = appSubnet.id

@description('Resource id of the subnet that private endpoints stand in.')
output endpointSubnetId string = endpointSubnet.id
