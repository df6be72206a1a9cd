@description('Names of the endpoints by what they lead to.')
param names object

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Resource id of the subnet that they stand in.')
param subnetId string

@description('Names of the private DNS zones by what is found in them.')
param zones object

@description('What the resource id of each zone begins with; empty where a policy registers the endpoints.')
param zonesBelow string

@description('Resource id of the storage account.')
param storageId string

@description('Resource id of the search service.')
param searchId string

@description('Resource id of the model resource; empty without one.')
param modelId string

@description('Resource id of the private link scope of telemetry; empty without one.')
param monitorScopeId string

module blob 'private-endpoint.bicep' = {
  name: 'blob-endpoint'
  params: {
    name: names.blobEndpoint
    location: location
    tags: tags
    targetId: storageId
    groupId: 'blob'
    subnetId: subnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'blob'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.blob}'
        }
      }
    ]
  }
}

module table 'private-endpoint.bicep' = {
  name: 'table-endpoint'
  params: {
    name: names.tableEndpoint
    location: location
    tags: tags
    targetId: storageId
    groupId: 'table'
    subnetId: subnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'table'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.table}'
        }
      }
    ]
  }
}

module search 'private-endpoint.bicep' = {
  name: 'search-endpoint'
  params: {
    name: names.searchEndpoint
    location: location
    tags: tags
    targetId: searchId
    groupId: 'searchService'
    subnetId: subnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'search'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.search}'
        }
      }
    ]
  }
}

module model 'private-endpoint.bicep' = if (!empty(modelId)) {
  name: 'model-endpoint'
  params: {
    name: names.modelEndpoint
    location: location
    tags: tags
    targetId: modelId
    groupId: 'account'
    subnetId: subnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'cognitive'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.cognitive}'
        }
      }
      {
        name: 'openai'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.openAI}'
        }
      }
      {
        name: 'ai'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.ai}'
        }
      }
    ]
  }
}

module monitor 'private-endpoint.bicep' = if (!empty(monitorScopeId)) {
  name: 'monitor-endpoint'
  params: {
    name: names.monitorEndpoint
    location: location
    tags: tags
    targetId: monitorScopeId
    groupId: 'azuremonitor'
    subnetId: subnetId
    zones: empty(zonesBelow) ? [] : [
      {
        name: 'monitor'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.monitor}'
        }
      }
      {
        name: 'oms'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.oms}'
        }
      }
      {
        name: 'ods'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.ods}'
        }
      }
      {
        name: 'agents'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.agents}'
        }
      }
      {
        name: 'blob'
        properties: {
          privateDnsZoneId: '${zonesBelow}${zones.blob}'
        }
      }
    ]
  }
}
