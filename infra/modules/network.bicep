@description('Ending of the names.')
@minLength(3)
@maxLength(20)
param suffix string

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

@description('Resource id of the storage account.')
param storageId string

@description('Resource id of the search service.')
param searchId string

@description('Resource id of the model resource; empty without one.')
param modelId string

resource appRules 'Microsoft.Network/networkSecurityGroups@2025-09-01' = {
  name: 'nsg-app-${suffix}'
  location: location
  tags: tags
  properties: {
    securityRules: []
  }
}

resource endpointRules 'Microsoft.Network/networkSecurityGroups@2025-09-01' = {
  name: 'nsg-endpoints-${suffix}'
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
  name: 'vnet-${suffix}'
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

module blob 'private-endpoint.bicep' = {
  name: 'blob-endpoint'
  params: {
    name: 'pe-blob-${suffix}'
    location: location
    tags: tags
    targetId: storageId
    groupId: 'blob'
    subnetId: endpointSubnet.id
    networkId: network.id
    zoneName: 'privatelink.blob.${environment().suffixes.storage}'
  }
}

module table 'private-endpoint.bicep' = {
  name: 'table-endpoint'
  params: {
    name: 'pe-table-${suffix}'
    location: location
    tags: tags
    targetId: storageId
    groupId: 'table'
    subnetId: endpointSubnet.id
    networkId: network.id
    zoneName: 'privatelink.table.${environment().suffixes.storage}'
  }
}

module search 'private-endpoint.bicep' = {
  name: 'search-endpoint'
  params: {
    name: 'pe-search-${suffix}'
    location: location
    tags: tags
    targetId: searchId
    groupId: 'searchService'
    subnetId: endpointSubnet.id
    networkId: network.id
    zoneName: 'privatelink.search.windows.net'
  }
}

module model 'private-endpoint.bicep' = if (!empty(modelId)) {
  name: 'model-endpoint'
  params: {
    name: 'pe-model-${suffix}'
    location: location
    tags: tags
    targetId: modelId
    groupId: 'account'
    subnetId: endpointSubnet.id
    networkId: network.id
    zoneName: 'privatelink.openai.azure.com'
  }
}

@description('Resource id of the network.')
output id string = network.id

@description('Resource id of the subnet that the app calls out from.')
output appSubnetId string = appSubnet.id

@description('Resource id of the subnet that private endpoints stand in.')
output endpointSubnetId string = endpointSubnet.id
